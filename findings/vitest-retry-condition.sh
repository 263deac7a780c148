#!/usr/bin/env bash
# vitest 5.1.1 never calls a function given as `retry.condition` of a test, and repeats the test after any error. The condition
# is lost between the collection of the tests and their run. A pattern works, but sees only the message of the last error.
# Seen with vitest 5.1.1 on Node 24.21 on 2026-11-29:
#   a function that returns false: 3 runs, 0 calls
#   a pattern that does not match: 1 runs
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{"private": true, "type": "module"}' >package.json
npm install --silent --no-audit --no-fund vitest@5.1.1

cat >retry.test.js <<'END'
import { appendFileSync } from 'node:fs';
import { test } from 'vitest';
const note = (text) => appendFileSync('seen', `${text}\n`);
const never = () => {
  note('call');
  return false;
};
test('function', { retry: { count: 2, condition: never } }, () => {
  note('run');
  throw new Error('a failure');
});
test('pattern', { retry: { count: 2, condition: /another error/ } }, () => {
  note('run with a pattern');
  throw new Error('a failure');
});
END
timeout 60 npx vitest run >/dev/null 2>&1 || true

seen="a function that returns false: $(grep -cx run seen) runs, $(grep -cx call seen || true) calls
a pattern that does not match: $(grep -cx 'run with a pattern' seen) runs"
echo "$seen"
[ "$seen" = 'a function that returns false: 3 runs, 0 calls
a pattern that does not match: 1 runs' ]
