import type { Announcements } from '#server/payments/announcements.ts';
import type { Message } from '#server/payments/messages.ts';
import type { Edition } from '#shared/content/edition.ts';
import { actsAbout } from './act.ts';

/** An edition, and what has been announced to everyone who comes to it. */
export interface Announcing {
  edition: Edition;
  announced: Announcements;
  /** The letters that the office wrote, the newest first. */
  messages: readonly Message[];
  now: Date;
}

/** Makes an act by which the office writes to many. */
export const announcingAct = actsAbout<Announcing, Edition>();
