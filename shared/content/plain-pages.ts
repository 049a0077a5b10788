export const notFoundPage = {
  title: 'This door leads nowhere',
  text: 'The page you asked for is not here. It may have moved, or the link that brought you may be missing a piece.',
};

export const failurePage = {
  title: 'Something went wrong on our side',
  text: 'It is not your doing, and nothing was charged by it. Please try again in a few minutes. If it goes on, the retreat office will gladly help:',
};

export const homeLink = 'Back to the retreat';

export const termsPage = {
  title: 'What you agree to',
  version: (version: string) => `Version ${version} of the policies for this retreat.`,
  frozen:
    'This page keeps the text of this version, with its prices and dates, also when there is a newer one. Each registration holds the version that was agreed to, the fingerprint of its text, and when.',
  digest: 'Fingerprint of the text (SHA-256):',
} as const;

export interface WaitingPage {
  title: string;
  text: string;
  back?: string;
}

export const waitingPages = {
  confirm: {
    title: 'Join the waiting list?',
    text: 'One more step and you’re on the waiting list. If a place becomes free, the retreat office writes to you, and keeps it for you for 48 hours. There is nothing to pay.',
  },
  confirmed: {
    title: 'You are on the waiting list',
    text: 'We write to you if a place becomes free. Each of our messages has a button that takes you off the list.',
    back: homeLink,
  },
  leave: {
    title: 'Leave the waiting list?',
    text: 'The button takes you off the list and deletes the details that you left with us. If a place is being kept for you, somebody else is asked.',
  },
  left: {
    title: 'You are off the waiting list',
    text: 'We will not write to you about it again, and your details are deleted. If you change your mind, you can join again at any time.',
    back: homeLink,
  },
  took: {
    title: 'You have a place',
    text: 'You have taken the place that we kept for you, so you are no longer on the waiting list. Our welcome e-mail has the link to a page of your own. There you can also cancel.',
  },
  end: {
    title: 'End this registration?',
    text: 'The button ends the registration that was begun with your address, and deletes the details that were entered. Nothing was charged, and nothing will be.',
  },
  ended: {
    title: 'The registration has ended',
    text: 'Nothing was charged, the details are deleted, and we do not write to you about it again. If you change your mind, you can register again at any time while there are places.',
    back: homeLink,
  },
  'end-paid': {
    title: 'This place is paid for',
    text: 'The deposit of this registration is paid, or is being paid at this moment, so it has not been ended. The welcome e-mail has the link to a page on which the place can be cancelled.',
  },
  invalid: {
    title: 'This link does not open anything',
    text: 'Perhaps it was cut off on its way, or the retreat is over. Please try to copy the whole link from our message.',
    back: homeLink,
  },
  'offer-used': {
    title: 'This offer has been used',
    text: 'The place that was kept under this link is taken. If it was you, welcome: our e-mail has all that you need to know. If it was not, please tell us.',
    back: homeLink,
  },
  'offer-over': {
    title: 'This offer has ended',
    text: 'The place was kept until the time named in our message, or was given up before, and is no longer kept for you. Nothing was charged. You can join the waiting list again on the page of the retreat, or write to us: we will gladly see what we can do.',
    back: homeLink,
  },
} satisfies Readonly<Record<string, WaitingPage>>;
export type WaitingReason = keyof typeof waitingPages;

export const waitingPresses = {
  confirm: 'Put me on the waiting list',
  leave: 'Take me off the list',
  end: 'End this registration',
} as const;
export type WaitingPress = keyof typeof waitingPresses;

export const waitingHelp = 'The retreat office will gladly help:';
