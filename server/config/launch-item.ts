/** Something that a person has to decide or do before the site takes real cards. */
export interface LaunchItem {
  /** Names it in `confirmed` of `edition.yaml`, where a person says that she has decided it. */
  id: string;
  decides: 'owner' | 'lawyer' | 'bookkeeper' | 'engineer';
  /** One sentence: what is so, and what is to be decided or done. */
  says: string;
  /** The address of the page with the rule. */
  source?: string;
  /**
   * Absent for a decision, which a person may confirm. `left` is a fact: only its own change takes it off the list.
   * `unseen` is what this process cannot see, and a person who has looked may confirm. `done`: nothing is left to do.
   */
  standing?: 'left' | 'unseen' | 'done';
}

/** What was found of an item. */
export type Said = Pick<LaunchItem, 'says' | 'standing'>;

export const done = (says: string): Said => ({ says, standing: 'done' });
export const left = (says: string): Said => ({ says, standing: 'left' });
export const notSeen = (says: string): Said => ({ says, standing: 'unseen' });
