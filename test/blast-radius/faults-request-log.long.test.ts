// Tests what faults in answers about the request log change.

import { testFaults } from './fault-tests.ts';
import { WATCHED_REQUEST_LOG } from './watched-account.ts';

testFaults('request-log', 'Wrong answers about the request log', WATCHED_REQUEST_LOG);
