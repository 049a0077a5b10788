import type { Metrics } from '#server/ops/metrics.ts';
import { registrationIdOf } from '#server/registration/registration.ts';
import { AppError } from '#server/web/app-error.ts';
import type { Limiter, Point, Refusal } from '#server/web/limiter.ts';

export type RegistrationLimits = ReturnType<typeof createRegistrationLimits>;

/** A registration that is begun or edited, with the data that the limits need. */
interface RegistrationAttempt {
  /** The visitor's address, see `visitorAddress`. */
  address: string;
  email: string;
  /** The registration's idempotency key, or the client secret of the payment that it has. */
  proof: string;
}

type Sender = Pick<RegistrationAttempt, 'address'>;

/** A registration that is paid gives back what its submits took. */
const REQUESTS_PER_REGISTRATION = 4;

/**
 * Keeps people who try out stolen cards from getting payments to try them on. New registrations are counted:
 * repeating or editing one counts for little, and a paid one gives its point back, so that people in one
 * office, who share an address, all get through. Methods throw an AppError (429, with the seconds to wait) when there
 * were too many.
 * @param officePhone the number that visitors can call when the limit for all is reached
 */
export function createRegistrationLimits(
  limiter: Limiter,
  officePhone: string,
  metrics: Pick<Metrics, 'count'>,
) {
  const refuse = (refusal: Refusal): never => {
    metrics.count('registrations_refused_total', { limit: refusal.limit });
    throw tooMany(refusal, officePhone);
  };
  const take = async (...points: Point[]): Promise<void> => {
    const refusal = await limiter.take(...points);
    if (refusal) refuse(refusal);
  };
  /** Takes points once for a submit: repeated, it is free. */
  const takeOnce = async ({ proof, email }: RegistrationAttempt, ...points: Point[]): Promise<boolean> => {
    const submit: Point = ['registration-repeats', `${proof} ${email.toLowerCase()}`];
    const refusal = await limiter.take(...points, submit);
    if (!refusal) return true;
    // Who refuses the submit itself has counted it, though Redis may be gone since.
    const isRepeated = refusal.limit === submit[0] || (await limiter.isTaken(submit));
    return isRepeated ? false : refuse(refusal);
  };
  const ofLetter = (address: string): Point[] => [
    ['letters-by-address', address],
    ['letters-overall', ''],
  ];
  /** Counts a request of any kind, also a malformed one. */
  const countRequest = ({ address }: Sender): Promise<void> => take(['registration-requests', address]);
  return {
    countRequest,
    /** Counts a consent to the terms, also a malformed one. */
    countConsent: ({ address }: Sender): Promise<void> => take(['registration-consents', address]),
    /** Who `joins` gets a letter: counted for the visitor, not for the mailbox, so that nobody can keep her out. */
    async admitNew(attempt: RegistrationAttempt, as: 'registers' | 'joins' = 'registers'): Promise<void> {
      const { address, proof } = attempt;
      const own: Point[] = [
        ['registration-requests', address],
        ['registrations-by-address', address],
        ...(as === 'joins' ? [['letters-by-address', address] as const] : []),
      ];
      if (!(await takeOnce(attempt, ...own, ['registrations-overall', '']))) return countRequest(attempt);
      // Only a payment reads it.
      void limiter.remember(registrationIdOf(proof), [
        [['registration-requests', address], REQUESTS_PER_REGISTRATION],
        [['registrations-by-address', address], 1],
        ...ofLetter(address).map((point) => [point, 1] as const),
      ]);
    },
    /** Counts an edit whose proof has been verified: an invented proof uses up nobody else's points. */
    async admitEdit(attempt: RegistrationAttempt): Promise<void> {
      await takeOnce(attempt, ['registration-edits', registrationIdOf(attempt.proof)]);
    },
    /** Counts a letter to somebody who has not paid; false when there were too many. */
    async admitLetter({ address, email }: Pick<RegistrationAttempt, 'address' | 'email'>): Promise<boolean> {
      const refusal = await limiter.take(['letters-by-email', email], ...ofLetter(address));
      if (refusal) metrics.count('letters_waiting_total', { limit: refusal.limit });
      return refusal === undefined;
    },
    /** Gives back the points of a registration that was paid within ten minutes, once, by its name. */
    giveBack: limiter.giveBackTaken,
  };
}

function tooMany({ limit, waitS: retryAfterS }: Refusal, officePhone: string): AppError {
  const minutes = Math.ceil(retryAfterS / 60);
  const hours = Math.ceil(minutes / 60);
  const wait = minutes === 1 ? 'a minute' : minutes <= 90 ? `${minutes} minutes` : `${hours} hours`;
  return new AppError({
    code: 'too_many_registrations',
    status: 429,
    message:
      limit === 'registrations-overall'
        ? `Very many people are registering at this moment. Please try again in ${wait}, or call the retreat office at ${officePhone}`
        : `There were too many registrations. Please try again in ${wait}`,
    retryAfterS,
  });
}
