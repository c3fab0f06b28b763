// A quoting agent: ask for all prices at once, then add them up.
//
// It speaks RunLedger's protocol: one JSON object per line, in on standard input, out on standard
// output. Everything meant for a person goes to standard error. Node 20, no packages.

import { createInterface } from 'node:readline'

const waiting = new Map() // call id -> the function that takes its answer
let calls = 0

const send = (message) => process.stdout.write(JSON.stringify(message) + '\n')

/** Ask the runner for a tool; many calls may be open at once. */
function callTool(name, args) {
  const id = `c${++calls}`
  send({ type: 'tool_call', name, call_id: id, args })
  return new Promise((resolve) => waiting.set(id, resolve))
}

async function quote({ items }) {
  const prices = await Promise.all(items.map(({ sku }) => callTool('get_price', { sku })))
  const lines = items.map((item, n) => ({ ...item, price: prices[n] }))
  const known = lines.filter(({ price }) => price.ok)
  return {
    total_cents: known.reduce((sum, { quantity, price }) => sum + quantity * price.result.cents, 0),
    unavailable: lines.filter(({ price }) => !price.ok).map(({ sku }) => sku),
  }
}

async function work(task) {
  console.error(`task ${task.task_id}`)
  try {
    send({ type: 'final_output', output: await quote(task.input) })
  } catch (error) {
    send({ type: 'task_error', message: String(error) })
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.type === 'task_start') work(message) // not awaited: its answers arrive in this loop
  if (message.type === 'tool_result') {
    waiting.get(message.call_id)(message)
    waiting.delete(message.call_id)
  }
}
