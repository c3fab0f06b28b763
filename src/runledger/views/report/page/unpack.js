// The record inside this file: deflated lines of JSON, the rows first, then a line for each case.

const SLICE = 1 << 18; // characters of base64 at a time, so that the page can breathe in between
const NEWLINE = 10;

/** @typedef {{head: Promise<any>, line: (number: number) => Promise<any>, traces: Promise<number>}} Ledger */

/**
 * Begin to unpack; the rows are there first, the traces follow.
 * @param {Element} block @returns {Ledger}
 */
function openLedger(block) {
  /** @type {PromiseWithResolvers<any>} */
  const head = later();
  const whole = unpackAll(block, head.resolve);
  whole.catch(head.reject);
  const lines = whole.then((bytes) => ({ bytes, ends: endsOfLines(bytes) }));
  lines.catch(() => {}); // told once, through the head
  return {
    head: head.promise,
    line: async (number) => {
      const { bytes, ends } = await lines;
      return number < ends.length
        ? parseLine(bytes.subarray(ends[number - 1] + 1, ends[number]))
        : null;
    },
    traces: lines.then(({ ends }) => ends.length - 1).catch(() => 0),
  };
}

/** @param {Element} block @param {(head: any) => void} onHead @returns {Promise<Uint8Array>} */
async function unpackAll(block, onHead) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error(
      "This browser is too old to unpack the record. Use Chrome 103, Firefox 113, Safari 16.4 or newer.",
    );
  }
  const stream = packedBytes(block.textContent ?? "").pipeThrough(
    new DecompressionStream("deflate-raw"),
  );
  const reader = stream.getReader();
  const gathered = new Gathered();
  let headIsOut = false;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const from = gathered.length;
    gathered.add(value);
    const end = headIsOut ? -1 : value.indexOf(NEWLINE);
    if (end >= 0) {
      onHead(parseLine(gathered.bytes().subarray(0, from + end)));
      headIsOut = true;
    }
  }
  block.textContent = ""; // the packed text is not needed any more
  return gathered.bytes();
}

/** Bytes that come in pieces, in a buffer that doubles. */
class Gathered {
  constructor() {
    this.buffer = new Uint8Array(1 << 20);
    this.length = 0;
  }

  /** @param {Uint8Array} piece */
  add(piece) {
    const needed = this.length + piece.length;
    if (needed > this.buffer.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.buffer.length));
      larger.set(this.bytes());
      this.buffer = larger;
    }
    this.buffer.set(piece, this.length);
    this.length = needed;
  }

  bytes() {
    return this.buffer.subarray(0, this.length);
  }
}

/** @param {string} base64 @returns {ReadableStream<BufferSource>} */
function packedBytes(base64) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= base64.length) return controller.close();
      controller.enqueue(bytesOf(atob(base64.slice(at, at + SLICE))));
      at += SLICE;
    },
  });
}

/** @param {string} binary */
function bytesOf(binary) {
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** @param {Uint8Array} bytes @returns {number[]} where each line ends */
function endsOfLines(bytes) {
  const ends = [];
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) ends.push(at);
  return ends;
}

/** @param {Uint8Array} bytes */
function parseLine(bytes) {
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** A promise that others settle. */
function later() {
  /** @type {any} */
  const found = {};
  found.promise = new Promise((resolve, reject) => Object.assign(found, { resolve, reject }));
  return found;
}
