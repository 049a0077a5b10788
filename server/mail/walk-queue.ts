import type { JobsOptions } from 'bullmq';

/** The queue of walks: they happen one at a time, whatever the number of workers. A Redis in use knows it by this name. */
export const WALK_QUEUE_NAME = 'mail-sweep';

/** The walk that is asked for: however often it is, it waits there once. */
export const WALK_NOW = 'now';
export const WALK_NOW_OPTIONS = {
  jobId: WALK_NOW,
  removeOnComplete: true,
  removeOnFail: true,
} satisfies JobsOptions;
