// Lists all pages of the site by kind. test/docs/site.test.ts checks that no page is missing.

export interface SidebarGroup {
  readonly text: string;
  readonly items: { readonly text: string; readonly link: string }[];
}

/** A page's title in the sidebar, and its path in docs/ without .md. */
type Page = readonly [title: string, path: string];

const group = (text: string, pages: readonly Page[]): SidebarGroup => ({
  text,
  items: pages.map(([title, path]) => ({ text: title, link: `/${path}` })),
});

export const sidebar: SidebarGroup[] = [
  group('Tutorials', [
    ['The first ten minutes', 'tutorials/first-ten-minutes'],
    ['From a clone to an alert', 'tutorials/from-clone-to-alert'],
  ]),
  group('How-to guides', [
    ['Add an account', 'how-to/add-an-account'],
    ['Choose proxies to test', 'how-to/choose-proxies-to-test'],
    ['Test from your own machine', 'how-to/test-from-your-own-machine'],
    ['Get paged', 'how-to/get-paged'],
    ['Use the dashboards', 'how-to/use-the-dashboards'],
    ['Run with Docker Compose', 'how-to/run-with-docker-compose'],
    ['Run with systemd', 'how-to/run-with-systemd'],
    ['Run in Kubernetes', 'how-to/run-in-kubernetes'],
    ['Run several shards', 'how-to/run-several-shards'],
    ['TLS and passwords', 'how-to/tls-and-passwords'],
    ['Back up, restore, move, upgrade', 'how-to/back-up-restore-move-upgrade'],
    ['Send or import history', 'how-to/send-history-by-remote-write'],
    ['Check an invoice', 'how-to/check-an-invoice'],
    ['Size a machine', 'how-to/size-a-machine'],
    ['Troubleshoot', 'how-to/troubleshoot'],
    ['Verify a release', 'how-to/verify-a-release'],
  ]),
  group('Reference', [
    ['Configuration', 'reference/configuration'],
    ['Commands', 'reference/commands'],
    ['Metrics', 'reference/metrics'],
    ['Alerts', 'alerts'],
    ['HTTP API', 'reference/api'],
    ['Glossary', 'glossary'],
  ]),
  group('Design', [
    ['Counters of revisable data', 'design/counters'],
    ['After an interruption', 'design/interruptions'],
    ['Runs and endpoints', 'design/runs-and-endpoints'],
    ['Listings', 'design/listings'],
    ['Blast radius', 'design/blast-radius'],
    ['Proxy tests', 'design/proxy-tests'],
    ['Verdicts', 'design/verdicts'],
    ['Evidence of probes', 'design/evidence'],
    ['How verdicts are tested', 'design/how-verdicts-are-tested'],
    ['Probes', 'design/probes'],
    ['Failures of probes', 'design/probe-failures'],
    ['Remote write', 'design/remote-write'],
    ['Forecasts', 'design/forecast'],
    ['Security', 'design/security'],
    ['Security of the server', 'design/server-security'],
  ]),
  group('Contributing', [
    ['A tour of the code', 'contributing/tour'],
    ['Design overview', 'contributing/overview'],
    ['Store and history', 'contributing/history'],
    ['Alerts', 'contributing/alerts'],
    ['Exposition', 'contributing/exposition'],
    ['Status page and API', 'contributing/status-page'],
    ['Resilience', 'contributing/resilience'],
    ['Add a collector', 'contributing/add-a-collector'],
    ['Dependencies', 'contributing/dependencies'],
    ['Release', 'contributing/release'],
  ]),
];
