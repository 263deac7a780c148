// What a PromQL expression names: whether it parses, and the metrics that it asks for.

import { parser } from '@prometheus-io/lezer-promql';

/** Names of metrics. Throws with the place when the expression does not parse. */
export const metricsIn = (expression: string): string[] => {
  const names: string[] = [];
  parser.parse(expression).iterate({
    enter: ({ type, from, to, node }) => {
      if (type.isError) throw new Error(`${expression.slice(0, from)}⟨here⟩${expression.slice(from)}`);
      if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector')
        names.push(expression.slice(from, to));
    },
  });
  return names;
};
