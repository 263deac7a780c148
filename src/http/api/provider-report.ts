// Serves GET /api/v1/provider-report: what the provider's answers do differently from their documentation.

import { providerReport } from '../provider-report.ts';
import { route } from './route.ts';

export const PROVIDER_REPORT_ROUTES = [
  route({
    path: '/api/v1/provider-report',
    summary: 'How the provider’s answers have differed from its documentation since the start of the daemon',
    query: {},
    answer: providerReport,
    read: async ({ view }) => view.providerReport(),
  }),
];
