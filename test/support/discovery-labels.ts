// Lists the labels that service discovery adds to targets, so that no label of proxywatch has one of these names.

/**
 * The Prometheus operator adds `namespace`, `service`, `pod`, `container` and `endpoint`, the name of the port. Alloy,
 * and discovery by Kubernetes or Docker with the usual relabeling, also add `node` and `cluster`. Every scrape adds
 * `job` and `instance`.
 */
export const DISCOVERY_LABELS: Readonly<Record<string, string>> = {
  job: 'proxywatch',
  instance: 'a:9876',
  endpoint: 'http',
  service: 'proxywatch',
  namespace: 'proxywatch',
  pod: 'proxywatch-0',
  container: 'proxywatch',
  node: 'node-1',
  cluster: 'production',
};

/** The labels of a target, as a scrape configuration sets them: `instance` is the target's address. */
export const TARGET_LABELS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(DISCOVERY_LABELS).filter(([name]) => name !== 'job' && name !== 'instance'),
);
