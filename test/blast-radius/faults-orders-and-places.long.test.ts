// Tests what faults in answers about services, the catalog, quotes and places change.

import { testFaults } from './fault-tests.ts';

testFaults('orders-and-places', 'Wrong answers about orders and places');
