// Writes the alert rules as a PrometheusRule for the Prometheus operator: node deploy/kubernetes/write-prometheus-rule.ts

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const RULES = join(import.meta.dirname, '../../prometheus/rules/proxywatch.yml');
const OUTPUT = join(import.meta.dirname, 'prometheus-rule.yaml');

const HEAD = `# Generated from prometheus/rules/proxywatch.yml by write-prometheus-rule.ts.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: proxywatch
  labels:
    app.kubernetes.io/name: proxywatch
spec:
`;

/** Returns the PrometheusRule with the unchanged text of the rules below `spec`. */
export const prometheusRuleOf = (rules: string): string => {
  const groups = rules.slice(rules.search(/^groups:/m)).trimEnd();
  return `${HEAD}${groups.replaceAll(/^(?=.)/gm, '  ')}\n`;
};

if (import.meta.main) writeFileSync(OUTPUT, prometheusRuleOf(readFileSync(RULES, 'utf8')));
