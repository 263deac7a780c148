// Tests what faults in answers about proxy tests, and in what they need to know change.

import { testFaults } from './fault-tests.ts';

testFaults('proxy-tests', 'Wrong answers about proxy tests');
