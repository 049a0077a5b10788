import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import type { Confirmed } from '#shared/content/edition.ts';
import { configurationItems, sampleItems } from './launch-configuration.ts';
import { noticeItems, priceItems, sellingItems } from './launch-duties.ts';
import { decisions, type LaunchItem } from './launch-item.ts';
import type { Given } from './read-environment.ts';
import type { ProcessName } from './variables.ts';

/** What an item can be; the first three are open. */
export const STATES = ['left', 'undecided', 'unseen', 'confirmed', 'done'] as const;

/** An item, and what is to be done about it. */
export interface JudgedItem extends Omit<LaunchItem, 'standing'> {
  /** `left` is a fact to be changed, `undecided` is to be confirmed by a person, and so is `unseen` by who has looked. */
  state: (typeof STATES)[number];
  confirmed?: Confirmed[string];
}

/** What content, configuration and people leave to do before launch: all that needs no network. */
export function launchItems(env: Given, process: ProcessName): LaunchItem[] {
  return [
    ...sampleItems(env),
    ...configurationItems(env, process),
    ...priceItems(edition.facts),
    ...sellingItems(edition.facts),
    ...noticeItems(edition, Boolean(env.META_PIXEL_ID)),
    ...decisions,
  ];
}

/** Adds to each item what a person has confirmed. Nobody can confirm a fact away. */
export function judgeItems(
  items: readonly LaunchItem[],
  confirmations: Confirmed = edition.confirmed ?? {},
): JudgedItem[] {
  return items.map(({ standing, ...item }): JudgedItem => {
    const confirmed = confirmations[item.id];
    if (standing === 'left' || standing === 'done') return { ...item, state: standing };
    if (confirmed) return { ...item, state: 'confirmed', confirmed };
    return { ...item, state: standing ?? 'undecided' };
  });
}

/** Confirmations of no item of the whole list: mistyped, or of what is no longer asked. */
export function strayConfirmations(
  items: readonly LaunchItem[],
  confirmations: Confirmed = edition.confirmed ?? {},
): LaunchItem[] {
  const stray = Object.keys(confirmations).filter((name) => !items.some(({ id }) => id === name));
  if (stray.length === 0) return [];
  const says = `confirmed in edition.yaml of ${edition.facts.id} names nothing of this list: ${stray.join(', ')}.`;
  return [{ id: 'confirmed-ids', decides: 'engineer', says, standing: 'left' }];
}

/** What an app logs at its start: what is left, although real cards are charged. */
export function leftAtStart(config: { isLive: boolean; launch: readonly JudgedItem[] }) {
  const left = config.launch.filter(isOpen).map(({ id, says }) => ({ id, says }));
  return config.isLive && left.length > 0 ? left : undefined;
}

/** Whether it is still to be done, or to be looked at. */
export const isOpen = ({ state }: JudgedItem): boolean => state !== 'confirmed' && state !== 'done';
