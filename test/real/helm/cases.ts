// Values of users, with which the tests render the chart.

import { SAMPLE_VALUES } from '../../deploy/helm-chart.ts';
import { type Yaml, yamlOf } from '../../deploy/support.ts';

const FOLDER = 'test/fixtures/helm';

/** Every value is different from its default. */
export const EVERYTHING_ON: Yaml = yamlOf(`${FOLDER}/everything-on.yaml`);

export const EVERYTHING_OFF: Yaml = yamlOf(`${FOLDER}/everything-off.yaml`);

export const CASES: Readonly<Record<string, Yaml>> = {
  defaults: {},
  'one account with its own Secret': yamlOf(`${FOLDER}/own-secret.yaml`),
  'three shards': { shards: 3 },
  'three shards, all stopped': { shards: 3, replicas: 0 },
  'the first sample of the documentation': SAMPLE_VALUES[0],
  'everything on': EVERYTHING_ON,
  'everything off': EVERYTHING_OFF,
  'everything off, with two shards': { ...EVERYTHING_OFF, shards: 2 },
};
