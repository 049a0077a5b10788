export type RefusalReason = 'failed' | 'wrongUsage' | 'noSuchMail' | 'wrongState' | 'redisAway';

/** Why an act was not carried out: one sentence for the person who asked for it. */
export class Refusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'Refusal';
    this.reason = reason;
  }
}

/** The refusal of an invalid input, with the reason. */
export function wrongUsage(reason: string): Refusal {
  return new Refusal('wrongUsage', `${reason.replace(/\.$/, '')}.`);
}

/** The refusal of what the present state does not allow. */
export const impossible = (sentence: string): Refusal => new Refusal('wrongState', sentence);

/** @throws {Refusal} when there is a reason */
export function refuseIf(why: string | undefined): void {
  if (why !== undefined) throw impossible(why);
}
