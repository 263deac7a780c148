'use strict';
// Makes Node.js use less memory: with the flags here, the build of few files and the lazy imports, a small daemon takes at
// most 127 instead of 309 MB, and 2.0 instead of 2.9 s of CPU time (node bench/main.ts memory). --optimize-for-size instead
// of the sizes of the heap takes a third more CPU time for the same memory, and --no-opt half more.
// --single-threaded-gc, --v8-pool-size=1 and --no-maglev make no difference above the noise.

const v8 = require('node:v8');

// The heap grows in smaller steps.
const GROWTH = '--heap-growing-percent=20';
// The HTTP client parses answers with WebAssembly. The optimizing compiler takes 25 MB for this parser and saves hardly
// any time, so only the baseline compiler compiles it. On the command line, the first flag implies the other two.
const BASELINE_WASM = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];
// In a small young generation, V8 soon takes the users of a page for objects that live long. It then allocates them in the
// old one, and collects the whole heap twice as often.
const PRETENURING = '--no-allocation-site-pretenuring';
// V8 reads these flags when it allocates and compiles, so the program is loaded after this file.
for (const flag of [GROWTH, PRETENURING, ...BASELINE_WASM]) v8.setFlagsFromString(flag);

// V8 reads this flag when a process starts: young objects get 3 MB instead of 48. The C library of Linux (glibc) reads
// the variable then: threads share one area of memory, instead of keeping free pages in areas of their own. So a command
// that runs for long replaces its process once, with the same process id. It does not if a parent process has a channel
// to this one, which would be lost. The demo gets twice the size, because it replays days first.
const YOUNG = '--max-semi-space-size';
const YOUNG_SIZES = new Map([
  ['run', 1],
  ['demo', 2],
]);
const { argv, env, execArgv, execPath, platform } = process;
const isReplaced = execArgv.some((flag) => flag.startsWith(YOUNG));
const [, , commandName = ''] = argv;
const size = YOUNG_SIZES.get(commandName);
// cli/heap-size.ts ends this when the daemon has much data. A replay would take a third more CPU time with it.
if (commandName === 'run') v8.setFlagsFromString('--memory-saver-mode');
if (size && platform === 'linux' && !process.send && !isReplaced) {
  const command = [execPath, `${YOUNG}=${size}`, ...execArgv, ...argv.slice(1)];
  process.execve?.(execPath, command, { MALLOC_ARENA_MAX: '1', ...env });
}
