import type { MailLanguage } from '@switchboard/contracts';

/** The texts of mails to visitors in one language. Arguments are plain text. */
export interface MailTexts {
  /** The subject of a conversation without one. */
  subject(project: string): string;
  heading(project: string): string;
  hint: string;
  /** The reason why the recipient gets this mail. */
  why(project: string): string;
  /** The text of the link that ends mails. */
  unsubscribe: string;
  /** A file that is too large for the mail. */
  file(name: string): string;
  /** The page of that link. */
  page: { ask: string; confirm: string; done: string; expired: string };
}

export const mailTexts = {
  en: {
    subject: (project) => `Your conversation with ${project}`,
    heading: (project) => `${project} has replied`,
    hint: 'To answer, reply to this email.',
    why: (project) => `You received this email because you wrote to ${project}.`,
    unsubscribe: 'Stop emails about this conversation',
    file: (name) => `File: ${name}`,
    page: {
      ask: 'Stop emails about this conversation?',
      confirm: 'Unsubscribe',
      done: 'You will get no more emails about this conversation.',
      expired: 'This link is not valid.',
    },
  },
  de: {
    subject: (project) => `Ihre Unterhaltung mit ${project}`,
    heading: (project) => `${project} hat geantwortet`,
    hint: 'Antworten Sie einfach auf diese E-Mail.',
    why: (project) => `Sie erhalten diese E-Mail, weil Sie an ${project} geschrieben haben.`,
    unsubscribe: 'Keine E-Mails mehr zu dieser Unterhaltung erhalten',
    file: (name) => `Datei: ${name}`,
    page: {
      ask: 'Möchten Sie keine E-Mails mehr zu dieser Unterhaltung erhalten?',
      confirm: 'Abbestellen',
      done: 'Sie erhalten keine E-Mails mehr zu dieser Unterhaltung.',
      expired: 'Dieser Link ist ungültig.',
    },
  },
  fr: {
    subject: (project) => `Votre conversation avec ${project}`,
    heading: (project) => `${project} vous a répondu`,
    hint: 'Pour répondre, répondez à cet e-mail.',
    why: (project) => `Vous recevez cet e-mail parce que vous avez écrit à ${project}.`,
    unsubscribe: 'Ne plus recevoir d’e-mails sur cette conversation',
    file: (name) => `Fichier : ${name}`,
    page: {
      ask: 'Souhaitez-vous ne plus recevoir d’e-mails sur cette conversation ?',
      confirm: 'Se désabonner',
      done: 'Vous ne recevrez plus d’e-mails sur cette conversation.',
      expired: 'Ce lien n’est pas valide.',
    },
  },
  es: {
    subject: (project) => `Su conversación con ${project}`,
    heading: (project) => `${project} ha respondido`,
    hint: 'Para contestar, responda a este correo.',
    why: (project) => `Recibe este correo porque escribió a ${project}.`,
    unsubscribe: 'No recibir más correos sobre esta conversación',
    file: (name) => `Archivo: ${name}`,
    page: {
      ask: '¿Desea dejar de recibir correos sobre esta conversación?',
      confirm: 'Cancelar la suscripción',
      done: 'No recibirá más correos sobre esta conversación.',
      expired: 'Este enlace no es válido.',
    },
  },
  pt: {
    subject: (project) => `A sua conversa com ${project}`,
    heading: (project) => `${project} respondeu`,
    hint: 'Para responder, responda a este e-mail.',
    why: (project) => `Recebeu este e-mail porque escreveu a ${project}.`,
    unsubscribe: 'Não receber mais e-mails sobre esta conversa',
    file: (name) => `Ficheiro: ${name}`,
    page: {
      ask: 'Pretende deixar de receber e-mails sobre esta conversa?',
      confirm: 'Cancelar a subscrição',
      done: 'Não receberá mais e-mails sobre esta conversa.',
      expired: 'Esta ligação não é válida.',
    },
  },
  it: {
    subject: (project) => `La sua conversazione con ${project}`,
    heading: (project) => `${project} ha risposto`,
    hint: 'Per rispondere, risponda a questa e-mail.',
    why: (project) => `Riceve questa e-mail perché ha scritto a ${project}.`,
    unsubscribe: 'Non ricevere più e-mail su questa conversazione',
    file: (name) => `File: ${name}`,
    page: {
      ask: 'Non vuole più ricevere e-mail su questa conversazione?',
      confirm: 'Annulla l’iscrizione',
      done: 'Non riceverà più e-mail su questa conversazione.',
      expired: 'Questo link non è valido.',
    },
  },
  nl: {
    subject: (project) => `Uw gesprek met ${project}`,
    heading: (project) => `${project} heeft geantwoord`,
    hint: 'Beantwoord deze e-mail om te reageren.',
    why: (project) => `U ontvangt deze e-mail omdat u ${project} hebt geschreven.`,
    unsubscribe: 'Geen e-mails meer over dit gesprek ontvangen',
    file: (name) => `Bestand: ${name}`,
    page: {
      ask: 'Wilt u geen e-mails meer over dit gesprek ontvangen?',
      confirm: 'Uitschrijven',
      done: 'U ontvangt geen e-mails meer over dit gesprek.',
      expired: 'Deze link is niet geldig.',
    },
  },
  pl: {
    subject: (project) => `Twoja rozmowa z ${project}`,
    heading: (project) => `Nowa odpowiedź: ${project}`,
    hint: 'Aby odpowiedzieć, odpowiedz na tę wiadomość.',
    why: (project) => `Otrzymujesz tę wiadomość z powodu rozmowy z ${project}.`,
    unsubscribe: 'Nie otrzymuj więcej wiadomości o tej rozmowie',
    file: (name) => `Plik: ${name}`,
    page: {
      ask: 'Czy chcesz nie otrzymywać więcej wiadomości o tej rozmowie?',
      confirm: 'Zrezygnuj',
      done: 'Nie otrzymasz więcej wiadomości o tej rozmowie.',
      expired: 'Ten link jest nieprawidłowy.',
    },
  },
  ja: {
    subject: (project) => `${project} とのやり取り`,
    heading: (project) => `${project} から返信がありました`,
    hint: '返信するには、このメールに返信してください。',
    why: (project) => `${project} にお問い合わせいただいたため、このメールをお送りしています。`,
    unsubscribe: 'このやり取りに関するメールを停止する',
    file: (name) => `ファイル: ${name}`,
    page: {
      ask: 'このやり取りに関するメールを停止しますか？',
      confirm: '停止する',
      done: 'このやり取りに関するメールは今後送信されません。',
      expired: 'このリンクは無効です。',
    },
  },
} satisfies Record<MailLanguage, MailTexts>;
