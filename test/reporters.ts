// How a run of tests is told: on the terminal, and as JSON in a file where TEST_REPORT names one.

const report = process.env.TEST_REPORT;

export const reporters: ('default' | ['json', { outputFile: string }])[] = report
  ? ['default', ['json', { outputFile: report }]]
  : ['default'];
