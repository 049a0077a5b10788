/** What the command line ends with. */
export const EXIT_CODES = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  noSuchMail: 3,
  wrongState: 4,
  redisAway: 5,
} as const;

type ExitReason = keyof typeof EXIT_CODES;

/** Why a command was not carried out: one sentence for the person who gave it. */
export class Refusal extends Error {
  readonly reason: ExitReason;

  constructor(reason: ExitReason, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'Refusal';
    this.reason = reason;
  }
}

/** The words make no command, for this reason. */
export function wrongUsage(reason: string): Refusal {
  return new Refusal('wrongUsage', `${reason.replace(/\.$/, '')}.`);
}
