// Parses PromQL expressions and finds the metrics that they select and the labels by which they join.

import type { SyntaxNode } from '@lezer/common';
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

const SCALAR = /Literal$|^(Paren|Unary|Binary)Expr$/;

const isScalar = (node: SyntaxNode): boolean =>
  node.name === 'FunctionCall'
    ? /^FunctionCall\(FunctionIdentifier\((Time|Scalar|Pi)\)/.test(node.toString())
    : SCALAR.test(node.name) && node.getChildren('Expr').every(isScalar);

/** Returns the operators between series that also match by labels which some versions of Prometheus add. */
export const ambiguousOperators = (expression: string): string[] => {
  const operators: string[] = [];
  parser.parse(expression).iterate({
    enter: ({ name, node }) => {
      if (name !== 'BinaryExpr' || [node.firstChild, node.lastChild].some((side) => side && isScalar(side)))
        return;
      const clause = node.getChild('MatchingModifierClause');
      const text = clause ? expression.slice(clause.from, clause.to) : '';
      if (!/^on |^ignoring \(__type__, __unit__/.test(text))
        operators.push(expression.slice(node.from, node.to));
    },
  });
  return operators;
};
