/** Data that is kept about a visitor: what, where, why and for how long; with `if`, only in such a configuration. */
interface PrivacyFact {
  title: string;
  text: string;
  if?: keyof Keeping;
}

export interface Keeping {
  asksQuestions: boolean;
  hasWaitingList: boolean;
  isMeasured: boolean;
}

export const privacyButtons = {
  open: 'Your privacy',
  openWithChoices: 'Privacy choices',
  fromStepper: 'What happens to your details',
} as const;

export const privacyCopy = {
  title: 'What we keep about you',
  intro: 'As little as we can. To read this page takes neither your name nor a cookie.',
  questions: 'If you want to know what we hold about you, have it corrected or have it deleted, write to us:',
  close: 'Close',
} as const;

export const pixelFact: PrivacyFact = {
  title: 'A social network’s measurement pixel',
  text: 'Only after you say yes. It then sets cookies and tells the network that this page was opened, which calls to action and questions were pressed, and that the payment step or the end was reached, with the tuition but without your name, e-mail or phone. Your answer stays in your browser until you clear its data; after a yes so do the ids of what was told, so that nothing is counted twice. Take your yes back and it stops, and its cookies here are deleted.',
  if: 'isMeasured',
};

const facts: readonly PrivacyFact[] = [
  {
    title: 'Your registration and payment',
    text: 'Your name, e-mail, phone and time zone are kept in a database on our machines and shown to our office, to know who is coming and charge the balance you agreed to. So are the version of the policies that you agreed to, and when, details that you corrected, how your payments stand, and what our office notes. Our card payment provider gets your name, e-mail and phone too, and from your browser your billing address and card. Its script loads at the payment step and may set cookies of its own against fraud. We delete your name and contact details when you ask and nothing is owed; if you do not pay, soon after registration is over.',
  },
  {
    title: 'Our e-mails',
    text: 'Which e-mails we owe you and have sent, and when, is kept in that database; your address with them goes thirty days after each was sent, and from copies against its loss two weeks later. One that could not be delivered waits until a person has seen it. If one comes back, or is marked as spam, that is noted by your address, scrambled. When you register, pay, cancel or correct your details, our office gets a notice with your name, e-mail, phone and time zone, and how the payment stands; once a day, a list of what is still to be done.',
  },
  {
    title: 'In this tab of your browser',
    text: 'How far you have come, what you have typed and whether you have paid. Never the card. It goes when you close the tab.',
  },
  {
    title: 'In your browser',
    text: 'Your choice of light or dark, and a random key that keeps you from being charged twice. They stay until you clear its data.',
  },
  {
    title: 'Your own page',
    text: 'A link in our e-mails leads to it: your details, payments, e-mails from us and the last digits of your card. To act there you prove that it is you: for that we keep the postal code of the card that paid in our database, until your name goes. A cookie keeps it open for up to thirty days. The link goes 30 days after the retreat.',
  },
  {
    title: 'On our machines',
    text: 'The log of requests holds no name, e-mail, phone or network address. Against people who try out stolen cards, your network address is remembered for ten minutes when you register or ask for a link; it and your e-mail address, scrambled, are remembered for a day when we write to you before you have paid, and your e-mail address, scrambled, for a day when you ask for a link. How fast the page came up is counted; your network address is held in memory for a minute then.',
  },
  {
    title: 'Films',
    text: 'A film comes from a video host only after you press play.',
  },
  {
    title: 'Your answers to our questions',
    text: 'Once you have paid the deposit, your own page asks a few questions. Your answers are kept in a database on our machines and shown to our office. Copies of the database, against its loss, are kept for two weeks.',
    if: 'asksQuestions',
  },
  {
    title: 'The waiting list',
    text: 'If you join it, your name, e-mail, phone and time zone are kept in a database on our machines and shown to our office. They are deleted as soon as you leave the list, by the link in each of our e-mails; if you do not confirm within two days that you want to wait; and else soon after registration is over. Copies of the database, against its loss, are kept for two weeks. A cookie of the link with which we offer you a place lasts for 48 hours at most.',
    if: 'hasWaitingList',
  },
  pixelFact,
];

export function factsKept(keeping: Keeping): readonly PrivacyFact[] {
  return facts.filter(({ if: condition }) => condition === undefined || keeping[condition]);
}
