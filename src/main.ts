#!/usr/bin/env node
// Checks the version of Node.js, sets flags of V8, then runs the command line. Old versions must be able to parse this file, so it has
// no other imports that are resolved before the check has run.

import './node-version.cjs';
import './low-memory.cjs';

import('./cli/program.ts');
