/** Something that is kept of a visitor: what, where, why and for how long. */
export interface PrivacyFact {
  title: string;
  text: string;
}

/** What opens the panel: in the foot of the page, without or with something to choose, and below the stepper. */
export const privacyButtons = {
  open: 'Your privacy',
  openWithChoices: 'Privacy choices',
  fromStepper: 'What happens to your details',
} as const;

/** The words around the facts. */
export const privacyCopy = {
  title: 'What we keep about you',
  intro:
    'As little as we could manage. You can read this page to the end without telling anybody who you are, and without a cookie from us.',
  questions: 'If you want to know what we hold about you, have it corrected or have it deleted, write to us:',
  close: 'Close',
} as const;

/** What is kept on every site. */
export const privacyFacts: readonly PrivacyFact[] = [
  {
    title: 'Your registration and payment',
    text: 'Your name, e-mail, phone, time zone and billing address go to our card payment provider, which keeps them with the payment, so that we know who is coming and can charge the balance you agreed to. The version of the policies that you agreed to, and when, is kept there too. Card numbers go straight to the provider and never pass through our machines. Its script loads once you reach the payment step; to tell real customers from fraud it may set cookies of its own.',
  },
  {
    title: 'Our letters',
    text: 'A letter waits in our mail queue until it is sent. There it stays for up to thirty days more, in case it did not arrive. One that could not be delivered stays until a person has looked into it. Some go to our office: when you register, pay the deposit or correct your details, a notice tells it your name, e-mail, phone, time zone, and how the payment stands.',
  },
  {
    title: 'The office’s list',
    text: 'Our machines keep a list of who has registered, made from what the payment provider holds: name, e-mail, phone, time zone, the version of the policies that you agreed to, how the registration and its payments stand, and which letters were sent. It goes 30 days after the retreat.',
  },
  {
    title: 'In this tab of your browser',
    text: 'How far you have come with the registration, what you have typed and whether you have paid, so that it survives a reload. Never the card. It goes when you close the tab.',
  },
  {
    title: 'In your browser',
    text: 'Your choice of light or dark, and a random key that keeps you from being charged twice. They stay until you clear your browser’s data.',
  },
  {
    title: 'In your browser, until you have paid',
    text: 'Once your contact details are sent: how far you have come with the registration and what you have typed, so that the link in our letter leads back to it. Nothing but that link does. Never the card. It goes when you pay or start over here, or else when you next open this page after two days without a change.',
  },
  {
    title: 'Your own page',
    text: 'A link in our letters leads to it: your details, your payments, the last digits of your card, which letters were sent. A cookie keeps it open in your browser for up to thirty days. The link goes 30 days after the retreat.',
  },
  {
    title: 'On our machines',
    text: 'The log of requests holds no name, e-mail, phone or network address. To fend off people who try out stolen cards, your network address and a scrambled form of your e-mail address are remembered for ten minutes when you register; both, scrambled, for a day when you ask for a link to your page. How quickly the page came up is counted, without anything that says it was you; your network address is held in memory for a minute then, to limit that.',
  },
  {
    title: 'Films',
    text: 'A film from a video host comes from there only after you press play.',
  },
];

/** What is kept besides where visits are measured. */
export const pixelFact: PrivacyFact = {
  title: 'A social network’s measurement pixel',
  text: 'Only after you say yes. It then sets cookies and tells the network that this page was opened, which calls to action and questions were pressed, and that the payment step or the end was reached, with the tuition but without your name, e-mail or phone. Your answer stays in your browser until you clear its data; after a yes so do the ids of what was told, so that nothing is counted twice. Take your yes back and it stops, and its cookies here are deleted.',
};
