import { createHash } from 'node:crypto';
import { givenIn } from '#shared/registration.ts';
import type { Registrant, Told } from './job-facts.ts';

const DIGEST_LENGTH = 8;

/** A short digest, to compare texts without storing them. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH);
}

/** A short, case-insensitive digest of an e-mail address, to compare the address without storing it. */
export function addressDigest(email: string): string {
  return digestOf(email.toLowerCase());
}

/**
 * What the office has been told once it has this mail: the number of notices about the registration, and a
 * digest of the details. Details that change back and forth are reported each time.
 */
export function toldBy(job: Registrant & Told): string {
  return `${timesTold(job.told) + 1}-${detailsDigest(job)}`;
}

/** How often the office was told. */
export function timesTold(told: string | undefined): number {
  return Number.parseInt(told ?? '', 10) || 0;
}

/** Whether the details of a mail are those that the office was told last. */
export function isTold(told: string | undefined, job: Registrant): boolean {
  return told?.endsWith(`-${detailsDigest(job)}`) === true;
}

function detailsDigest(registrant: Registrant): string {
  return digestOf(JSON.stringify(givenIn(registrant)));
}
