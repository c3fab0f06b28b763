"""Pass an answer that contains what the prompt expects, letter case aside.

runledger grade results.jsonl -g examples/graders/contains_expected.py
"""


def grade(output, expected):
    if expected is None:
        raise ValueError('this prompt has no "expected", so nobody can say what is right')
    found = str(expected).lower() in str(output).lower()
    return {
        "pass": found,
        "score": 1.0 if found else 0.0,
        "reasoning": f"the answer {'contains' if found else 'does not contain'} {expected!r}",
    }
