// Tests what faults in answers about the use of host names change.

import { testFaults } from './fault-tests.ts';
import { WATCHED_USAGE } from './watched-account.ts';

testFaults('usage', 'Wrong answers about the use of host names', WATCHED_USAGE);
