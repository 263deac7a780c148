// Checks objects against the schemas of Kubernetes.

import * as apps from 'kubernetes-models/apps/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policies from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import type { Yaml } from './support.ts';

/** By the version of the API. */
const MODELS = { v1: core, 'apps/v1': apps, 'networking.k8s.io/v1': networking, 'policy/v1': policies };

export const hasSchema = ({ apiVersion }: Yaml): boolean => apiVersion in MODELS;

/** Throws if a field that the schema knows has a wrong value. The schemas allow unknown fields. */
export const validate = (object: Yaml): void => {
  const models: Yaml = MODELS[object.apiVersion as keyof typeof MODELS];
  new models[object.kind](object).validate();
};
