import type { FaqItem } from './entities.ts';

export const faqTitle = 'Your Questions, Answered: How We Support You';

/** The build replaces this by its sanitised form, so this module imports nothing at run time. */
export const faq: readonly FaqItem[] = [
  {
    question: 'What if I have already tried everything?',
    answer:
      '<p>Then you’ll be in good company. What most of us tried, under one name or another, was control: more rules, better rules, somebody else’s rules. This retreat starts elsewhere, with curiosity about why you eat as you do and with kindness toward the woman who does it. There is no plan to follow, so there is nothing here to fail at.</p>',
  },
  {
    question: 'I have never meditated or been on a retreat. Is this for me?',
    answer:
      '<p>Yes. Women come at every level of experience, and beginners are as welcome as old hands. Movement, meditation and meals are all guided, and you can adapt everything to the body you have today. The <a href="#schedule">schedule</a> shows what each day holds.</p>',
  },
  {
    question: 'What do I need, technically?',
    answer:
      '<p>Any device that reaches the internet: a desktop, a laptop or a tablet. We recommend a connection of at least 2.0\u00a0Mbps. Before the retreat we offer a test session for the video service, so you can check your picture and sound while nothing depends on it.</p>',
  },
  {
    question: 'What if I can’t be there for every session?',
    answer:
      '<p>Every session is recorded and made available online, so you can catch up on what you miss and return to what moved you. Come live whenever you can, though: the small groups and shared meals are where women find each other. By registering you also agree that your likeness, and what you say during the retreat, may be published.</p>',
  },
  {
    question: 'Do I have to read the book first?',
    answer:
      '<p>No. Reading the teacher’s book is recommended, not required. If you have time, it will make some ideas familiar. If you don’t, come anyway; everything you need is explained as we go.</p>',
  },
  {
    question: 'Is there help during the retreat, and afterward?',
    answer:
      '<p>During the retreat you can reach support by phone or text; the number is <a href="#contact">at the foot of this page</a>. Afterward there are monthly group meetings, personalized small group sessions and peer support, as described under <a href="#sessions">how we’ll spend the time</a>.</p>',
  },
  {
    question: 'Are there payment plans or scholarships? Can I pay by check?',
    answer:
      '<p>Yes to all three. We offer flexible payment plans and partial scholarships; <a href="#contact">write to the retreat office</a> by e-mail and tell us what would help. If you pay by check, no card processing fee is added. To pay by card, you can <a href="#register-stepper">reserve your spot here</a> with a deposit.</p>',
  },
  {
    question: 'What if I have to cancel?',
    answer:
      '<p>Please tell us in writing, to one of the addresses in the policy. If you cancel by December\u00a021,\u00a02025, we refund the tuition you have paid, minus the deposit and card fees. After that date there are no refunds, transfers or credits, and the deposit is non-refundable throughout. You will find the whole policy <a href="#policies">beside the registration</a>.</p>',
  },
];
