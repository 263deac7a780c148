// Tests what faults in answers about the ledger, the users and the inventory change.

import { testFaults } from './fault-tests.ts';

testFaults('listings', 'Wrong answers about listings');
