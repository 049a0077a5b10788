import type { Found } from '#server/payments/find-all-due.ts';
import type { Register } from '#server/register/walk.ts';

/** A fake of Stripe that only finds what is due: its other functions change nothing. */
export const registerOf = (findAllDue: (since: Date) => AsyncGenerator<Found>): Register => ({
  findAllDue,
  closeUnpaid: async () => false,
  fitBalance: async () => false,
  chargeBalance: async () => ({ type: 'stopped', why: 'not-due' }),
  workOffRefunds: async () => ({ type: 'stopped', why: 'nothing-due' }),
  findRegistration: async () => undefined,
  markSent: async () => {},
  readAnnouncements: async () => ({}),
  waiting: {
    join: notAsked,
    find: async () => undefined,
    async *findAll() {},
    leave: notAsked,
    offer: notAsked,
    withdrawOffer: notAsked,
    register: notAsked,
    took: notAsked,
  },
});

const notAsked = async () => {
  throw new Error('A walk without a waiting list does not ask for this');
};

/** A watcher of charges that does nothing. */
export const noCharges = { charged() {}, declined() {} };

/** A watcher of refunds that does nothing. */
export const noRefunds = { made() {}, refused() {} };
