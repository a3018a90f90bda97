export {
  type MailServer,
  mailServer,
  noSuchMailbox,
  type ReceivedMail,
  trustedCertificate,
} from './smtp.ts';
