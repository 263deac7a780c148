// Serves GET /api/v1/provider-report: what the provider's answers do differently from their documentation.

import { providerReport } from '../provider-report.ts';
import { route } from './route.ts';

export const PROVIDER_REPORT_ROUTES = [
  route({
    path: '/api/v1/provider-report',
    summary: 'What the provider’s answers did differently from their documentation since the start',
    query: {},
    answer: providerReport,
    read: async ({ view }) => view.providerReport(),
  }),
];
