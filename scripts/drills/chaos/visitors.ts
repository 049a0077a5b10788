import type { Contact } from '#shared/registration.ts';
import { between, type Random } from './plan-faults.ts';

const PAYING_SHARE = 0.8;
const LONGEST_THOUGHT_MS = 1_500;

/** Matches something in every visitor's details; must match nothing in a log. */
export const VISITOR_MARKS = /quillfeather|marrowby|visitors\.example|visitors%2Eexample|30[ -]?5550[ -]?1/i;

/** A person who registers. */
export interface Visitor extends Contact {
  pays: boolean;
  /** The time between the answer and her payment. */
  thinksMs: number;
}

/** Draws visitors, of whom about four in five pay. */
export function drawVisitors(random: Random, count: number): Visitor[] {
  return Array.from({ length: count }, (_, number) => ({
    ...contactOf(number),
    pays: random() < PAYING_SHARE,
    thinksMs: between(random, 0, LONGEST_THOUGHT_MS),
  }));
}

/** Unique details for each number. */
export function contactOf(number: number): Contact {
  const digits = String(number).padStart(6, '0');
  return {
    firstName: `Quillfeather${digits}`,
    lastName: `Marrowby${digits}`,
    email: `guest-${digits}@visitors.example`,
    phoneNumber: `+49 30 5550 1${digits}`,
  };
}
