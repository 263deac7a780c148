'use strict';
// Makes V8 use less memory. V8 reads these flags when it allocates and compiles, so the program is loaded after this
// file. NODE_OPTIONS does not accept them. docs/design/memory.md has the measurements.

const v8 = require('node:v8');

// The heap grows in smaller steps.
v8.setFlagsFromString('--optimize-for-size');
// The HTTP client parses answers with WebAssembly. The optimizing compiler takes 25 MB for this parser and saves hardly
// any time, so only the baseline compiler compiles it. On the command line, the first flag implies the other two.
v8.setFlagsFromString('--liftoff-only');
v8.setFlagsFromString('--no-wasm-tier-up');
v8.setFlagsFromString('--no-wasm-dynamic-tiering');
