// Tests what faults in answers about traffic change.

import { testFaults } from './fault-tests.ts';

testFaults('traffic', 'Wrong answers about traffic');
