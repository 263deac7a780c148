// Reports test runs on the terminal, and as JSON in the file that TEST_REPORT names, if it is set.

const report = process.env.TEST_REPORT;

export const reporters: ('default' | ['json', { outputFile: string }])[] = report
  ? ['default', ['json', { outputFile: report }]]
  : ['default'];
