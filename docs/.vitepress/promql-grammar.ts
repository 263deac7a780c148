// Defines the colors of PromQL in code blocks, which the site's highlighter does not know.

const AGGREGATIONS =
  'sum|min|max|avg|group|stddev|stdvar|count|count_values|bottomk|topk|quantile|limitk|limit_ratio';

export const promqlGrammar = {
  name: 'promql',
  scopeName: 'source.promql',
  repository: {},
  patterns: [
    { name: 'comment.line.number-sign.promql', match: '#.*$' },
    { name: 'string.quoted.double.promql', match: '"(?:[^"\\\\]|\\\\.)*"' },
    { name: 'string.quoted.single.promql', match: "'(?:[^'\\\\]|\\\\.)*'" },
    {
      name: 'keyword.operator.word.promql',
      match: '\\b(?:and|or|unless|by|without|on|ignoring|group_left|group_right|offset|bool|atan2)\\b',
    },
    { name: 'support.function.promql', match: `\\b(?:${AGGREGATIONS})\\b(?=\\s*(?:\\(|by|without))` },
    { name: 'support.function.promql', match: '\\b[a-z_][a-z0-9_]*(?=\\s*\\()' },
    { name: 'constant.numeric.promql', match: '\\b(?:\\d+(?:ms|[smhdwy]))+\\b' },
    { name: 'constant.numeric.promql', match: '\\b\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?\\b' },
    { name: 'keyword.operator.promql', match: '[-+*/%^]|[=!]~|[=!<>]=?' },
    { name: 'variable.other.promql', match: '\\b[a-zA-Z_:][a-zA-Z0-9_:]*\\b' },
  ],
};
