import type { ActContext } from '#server/acts/act-context.ts';
import type { Asked, Told } from '#server/acts/carry-out.ts';
import { offerPlace, removeWaiting, withdrawOffer } from '#server/acts/waiting-acts.ts';
import type { WaitingState } from '#server/record/waiting-record.ts';

/** An act of the office on an entry of the waiting list. */
export interface WaitingAct {
  id: string;
  heading: string;
  /** The text of the button that carries the act out. */
  confirm: string;
  /** The states of entries for which it is offered. */
  states: readonly WaitingState[];
  run(context: ActContext, waitingId: string, asked: Asked): Promise<Told>;
}

export const waitingActs: readonly WaitingAct[] = [
  {
    id: 'offer',
    heading: 'Offer a place',
    confirm: 'Offer the place',
    states: ['waiting', 'lapsed'],
    run: (context, id, asked) => offerPlace(context, id, { ...asked, 'without-place': false }),
  },
  {
    id: 'offer-without-place',
    heading: 'Offer a place, also without a free one',
    confirm: 'Offer a place all the same',
    states: ['waiting', 'lapsed'],
    run: (context, id, asked) => offerPlace(context, id, { ...asked, 'without-place': true }),
  },
  {
    id: 'withdraw',
    heading: 'Take back the offer',
    confirm: 'Take it back',
    states: ['offered', 'lapsed'],
    run: withdrawOffer,
  },
  {
    id: 'remove',
    heading: 'Remove from the list',
    confirm: 'Remove her',
    states: ['unconfirmed', 'waiting', 'offered', 'lapsed'],
    run: removeWaiting,
  },
];
