import type { ScheduledSession } from './edition.ts';

type Recorded = Pick<ScheduledSession, 'recorded'>;

/** What is recorded of some sessions, taken together: `audio and video`; undefined where nothing is. */
export function recordedOf(sessions: readonly Recorded[]): 'audio and video' | 'audio' | undefined {
  if (sessions.some(({ recorded }) => recorded === 'video')) return 'audio and video';
  return sessions.some(({ recorded }) => recorded) ? 'audio' : undefined;
}

/** Of one session, as a sentence. */
export function describeRecording(session: Recorded): string {
  const recorded = recordedOf([session]);
  return recorded ? `This session is recorded, ${recorded}.` : 'This session is not recorded.';
}
