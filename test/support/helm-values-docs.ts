// Writes the page of the chart's values from its schema.

import { stringify } from 'yaml';
import { descriptionsOfValues, leavesOfValues, VALUES, valueAt } from '../deploy/helm-chart.ts';

const HEAD = `# Helm values

This page lists the values of the Helm chart in \`deploy/helm/proxywatch\`. [Run in Kubernetes](../how-to/run-in-kubernetes.md#install-with-helm) shows how to use them. The chart rejects unknown values and values of the wrong type.

| value | default | meaning |
|---|---|---|
`;

export const helmValuesDocs = (): string => {
  const descriptions = descriptionsOfValues();
  const rows = leavesOfValues().map(
    (path) => `| \`${path}\` | \`${defaultOf(path)}\` | ${descriptions.get(path)} |\n`,
  );
  return HEAD + rows.join('');
};

const defaultOf = (path: string): string =>
  stringify(valueAt(VALUES, path), { collectionStyle: 'flow', lineWidth: 0 }).trim();
