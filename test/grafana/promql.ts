// Parses PromQL expressions and finds the metrics that they select and the labels by which they join.

import { parser } from '@prometheus-io/lezer-promql';

/** Returns the names of metrics. Throws an error with the position if the expression does not parse. */
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

/** Returns the clauses that merge or match series which differ only by this label. */
export const clausesWithout = (expression: string, label: string): string[] => {
  const clauses: string[] = [];
  parser.parse(expression).iterate({
    enter: ({ name, node }) => {
      if (name !== 'AggregateExpr' && name !== 'MatchingModifierClause') return;
      const clause = name === 'AggregateExpr' ? node.getChild('AggregateModifier') : node;
      const labels = clause?.getChild('GroupingLabels')?.getChildren('LabelName') ?? [];
      const isNamed = labels.some(({ from, to }) => expression.slice(from, to) === label);
      const isExcluding = clause?.getChild('Without') ?? clause?.getChild('Ignoring');
      if (!clause || isNamed === !!isExcluding) clauses.push(expression.slice(node.from, node.to));
    },
  });
  return clauses;
};
