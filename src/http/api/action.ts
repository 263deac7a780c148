// Defines operations of the API that change something. They have the protection of a reload.

import type { z } from 'zod';
import type { DaemonView } from '../daemon-view.ts';
import type { ApiError } from './route.ts';

export interface ActionRequest<B> {
  readonly view: DaemonView;
  /** The parameters of the path. */
  readonly path: Readonly<Record<string, string>>;
  readonly body: B;
}

export interface ApiAction<B extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType> {
  readonly method: 'POST' | 'DELETE';
  /** The path, with its parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** The schema of the JSON body. A request without a body has an empty object. */
  readonly body: B;
  readonly answer: A;
  perform(request: ActionRequest<z.output<B>>): Promise<z.output<A> | ApiError>;
}

/** Checks that the types of an action's parts match. */
export const action = <B extends z.ZodType, A extends z.ZodType>(definition: ApiAction<B, A>): ApiAction =>
  definition as unknown as ApiAction;
