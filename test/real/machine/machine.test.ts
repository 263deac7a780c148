// Runs all tests of faults of the machine in one file, because they mostly wait and tests of other files run one by one.

import './clock.ts';
import './disk.ts';
import './memory.ts';
import './process.ts';
import './store-file.ts';
