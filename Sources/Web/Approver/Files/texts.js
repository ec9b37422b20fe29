/** Each text of the app: its key, and below it English, French and German. */
export default `
account
  Account:
  Compte :
  Konto:
addPhone
  Add this phone
  Ajouter ce téléphone
  Dieses Telefon hinzufügen
allAnswered
  All answered
  Toutes les demandes sont traitées
  Alle beantwortet
allow
  Allow
  Autoriser
  Erlauben
allowAll
  Allow all {count}
  Autoriser les {count}
  Alle {count} erlauben
allowAllTitle
  Allow {count} requests?
  Autoriser {count} demandes ?
  {count} Anfragen erlauben?
accessTo
  Access to {audience}
  Accès à {audience}
  Zugriff auf {audience}
allSigned
  Each answer is signed separately.
  Chaque réponse est signée à part.
  Jede Antwort wird einzeln unterschrieben.
allowAllWhat
  Allow all {count}: {action}
  Autoriser les {count} : {action}
  Alle {count} erlauben: {action}
allowWhat
  Allow {action}
  Autoriser {action}
  {action} erlauben
answeredOnPage
  Answered in a browser
  Réponse donnée dans un navigateur
  In einem Browser beantwortet
answeredWith
  Answered with {phone}
  Réponse donnée avec {phone}
  Mit {phone} beantwortet
browser
  a browser
  un navigateur
  ein Browser
clientSays
  {client} says:
  {client} écrit :
  {client} schreibt:
nextPart
  Next part
  Partie suivante
  Nächster Teil
notTogether
  Requests about money are answered one by one.
  Les demandes d’argent se traitent une par une.
  Anfragen über Geld werden einzeln beantwortet.
noticeAsks
  {client}: {what}
  {client} : {what}
  {client}: {what}
outlier
  Far more than the others
  Bien plus que les autres
  Weit mehr als die anderen
outcomeReason
  Rejected with a reason
  Refusée avec un motif
  Mit Grund abgelehnt
outcomeReported
  Rejected and reported
  Refusée et signalée
  Abgelehnt und gemeldet
outcomeWhat
  {outcome}: {what}
  {outcome} : {what}
  {outcome}: {what}
outcomeWithdrawn
  Withdrawn
  Retirée
  Zurückgezogen
partsLeft_one
  {count} part left to read
  Encore {count} partie à lire
  Noch {count} Teil zu lesen
partsLeft_other
  {count} parts left to read
  Encore {count} parties à lire
  Noch {count} Teile zu lesen
pickThisWhat
  Allow {action} with the number {number}
  Autoriser {action} avec le nombre {number}
  {action} mit der Zahl {number} erlauben
preview
  Show what is asked
  Montrer ce qui est demandé
  Zeigen, worum es geht
previewHint
  Amounts and names are then on the locked screen, for anybody to read.
  Montants et noms s’affichent alors sur l’écran verrouillé, à la vue de tous.
  Beträge und Namen stehen dann auf dem gesperrten Bildschirm, für alle lesbar.
receiptAsked
  Asked by
  Demandé par
  Gefragt von
receiptBy
  Answered with
  Réponse donnée avec
  Beantwortet mit
receiptChallenge
  Genuine. {tenant} signed this receipt, and {phone} signed the answer.
  Authentique. {tenant} a signé ce reçu, et {phone} a signé la réponse.
  Echt. {tenant} hat diesen Beleg unterschrieben, und {phone} die Antwort.
receiptCopy
  Copy
  Copier
  Kopieren
receiptDecision
  Answer
  Réponse
  Antwort
receiptExperts
  For experts
  Pour les experts
  Für Fachleute
receiptPhone
  Genuine. {tenant} signed this receipt, and {phone} signed this answer to exactly this request.
  Authentique. {tenant} a signé ce reçu, et {phone} a signé cette réponse à cette demande précise.
  Echt. {tenant} hat diesen Beleg unterschrieben, und {phone} diese Antwort auf genau diese Anfrage.
receiptRaw
  Signed receipt (JWS)
  Reçu signé (JWS)
  Unterschriebener Beleg (JWS)
receiptSession
  Genuine. {tenant} signed this receipt. The answer was given in a browser, so no phone signed it.
  Authentique. {tenant} a signé ce reçu. La réponse vient d’un navigateur : aucun téléphone ne l’a signée.
  Echt. {tenant} hat diesen Beleg unterschrieben. Die Antwort kam aus einem Browser, kein Telefon hat sie unterschrieben.
receiptSigned
  Signed by
  Signé par
  Signiert von
receiptUnchecked
  Not checked: the keys of {tenant} could not be fetched.
  Non vérifié : les clés de {tenant} n’ont pas pu être obtenues.
  Nicht geprüft: Die Schlüssel von {tenant} waren nicht zu erreichen.
receiptWhat
  What
  Objet
  Worum es ging
receiptWhen
  When
  Quand
  Wann
receiptWrong
  Not genuine: the signatures do not match. Do not rely on it, and tell {tenant}.
  Pas authentique : les signatures ne correspondent pas. Ne vous y fiez pas, et prévenez {tenant}.
  Nicht echt: Die Unterschriften passen nicht. Verlassen Sie sich nicht darauf, und sagen Sie es {tenant}.
rejectAllLead
  Every request of {client} in this list is rejected.
  Chaque demande de {client} dans cette liste est refusée.
  Jede Anfrage von {client} in dieser Liste wird abgelehnt.
sum
  Sum
  Somme
  Summe
anotherAccount
  Add another account
  Ajouter un autre compte
  Weiteres Konto hinzufügen
asks
  {client} asks for your approval
  {client} demande votre accord
  {client} bittet um Ihre Zustimmung
cancel
  Cancel
  Annuler
  Abbrechen
cannotStart
  The approver cannot start
  L’application ne peut pas démarrer
  Die Freigabe kann nicht starten
cannotStartLead
  It needs a connection, and a browser window that may store data (not a private one).
  Il lui faut une connexion, et une fenêtre qui peut garder des données (pas une fenêtre privée).
  Sie braucht eine Verbindung und ein Fenster, das Daten speichern darf (kein privates).
checking
  The connection broke. Finding out if your answer arrived…
  La connexion a été coupée. Nous vérifions si votre réponse est arrivée…
  Die Verbindung ist abgebrochen. Es wird geprüft, ob Ihre Antwort ankam …
codeLeft_one
  Valid for {count} more second
  Valable encore {count} seconde
  Noch {count} Sekunde gültig
codeLeft_other
  Valid for {count} more seconds
  Valable encore {count} secondes
  Noch {count} Sekunden gültig
connecting
  Connecting…
  Connexion…
  Verbinden …
copied
  Copied
  Copié
  Kopiert
copyLink
  Copy the link
  Copier le lien
  Link kopieren
didNotWork
  This did not work
  Cela n’a pas marché
  Das hat nicht geklappt
enrolLost
  No answer came. Check the connection and try again. If the link was used up, ask for a new one.
  Aucune réponse. Vérifiez la connexion et réessayez. Si le lien a déjà servi, demandez-en un nouveau.
  Es kam keine Antwort. Prüfen Sie die Verbindung und versuchen Sie es erneut. Ist der Link verbraucht, bitten Sie um einen neuen.
enrolOver
  This link was used already or has expired. Ask for a new one.
  Ce lien a déjà servi ou a expiré. Demandez-en un nouveau.
  Dieser Link wurde schon verwendet oder ist abgelaufen. Bitten Sie um einen neuen.
enrolRefused
  The phone could not be added. Ask for a new link.
  Le téléphone n’a pas pu être ajouté. Demandez un nouveau lien.
  Das Telefon konnte nicht hinzugefügt werden. Bitten Sie um einen neuen Link.
factAddress
  address
  adresse
  Adresse
factClient
  client
  application
  Client
factFor
  for
  pour
  für
factRequest
  request
  demande
  Anfrage
factServer
  server
  serveur
  Server
foreignClient
  An application of somebody else, not of {tenant}
  Une application d’un tiers, pas de {tenant}
  Eine fremde Anwendung, nicht von {tenant}
from
  From
  De
  Von
gone
  This phone was removed from the account {account}.
  Ce téléphone a été retiré du compte {account}.
  Dieses Telefon wurde vom Konto {account} getrennt.
group
  {count} requests. Read and answer each, or all at once.
  {count} demandes. Lisez-les et répondez à chacune, ou à toutes.
  {count} Anfragen. Lesen und beantworten Sie jede einzeln oder alle zugleich.
haveLink
  Do you have a link?
  Avez-vous un lien ?
  Haben Sie einen Link?
haveLinkLead
  Scan the QR code with the phone’s camera, or enter the link or code that you were given.
  Scannez le code QR avec l’appareil photo du téléphone, ou saisissez le lien ou le code que vous avez reçu.
  Scannen Sie den QR-Code mit der Kamera des Telefons oder geben Sie den Link oder Code ein, den Sie erhalten haben.
history
  History
  Historique
  Verlauf
install
  Install the app
  Installer l’application
  App installieren
installApple
  For notifications, install first
  Pour les notifications, installez d’abord
  Für Mitteilungen zuerst installieren
installApple3
  Paste your link there.
  Collez-y votre lien.
  Fügen Sie dort Ihren Link ein.
linkElsewhere
  This link belongs to {host}. Open it in the browser.
  Ce lien appartient à {host}. Ouvrez-le dans le navigateur.
  Dieser Link gehört zu {host}. Öffnen Sie ihn im Browser.
linkUnknown
  This is not an enrolment link or code. Enter all of it.
  Ce n’est ni un lien ni un code d’ajout. Saisissez-le en entier.
  Damit lässt sich kein Telefon hinzufügen. Geben Sie alles ein.
listening
  Requests appear here by themselves.
  Les demandes s’affichent ici d’elles-mêmes.
  Anfragen erscheinen hier von selbst.
loading
  Loading…
  Chargement…
  Laden …
loginAddress
  Address
  Adresse
  Adresse
loginBrowser
  Browser, as it says
  Navigateur, selon ses dires
  Browser, nach eigener Angabe
loginHeadline
  Log in to {application}?
  Se connecter à {application} ?
  Bei {application} anmelden?
loginPlace
  Place
  Lieu
  Ort
loginSoftware
  {browser} on {system}
  {browser} sur {system}
  {browser} auf {system}
loginTime
  Time
  Heure
  Zeit
loginUnknownBrowser
  unknown browser
  navigateur inconnu
  unbekannter Browser
more
  More about this request
  En savoir plus sur cette demande
  Mehr zu dieser Anfrage
moreWait_one
  {count} more waits
  {count} autre attend
  {count} weitere wartet
moreWait_other
  {count} more wait
  {count} autres attendent
  {count} weitere warten
nameOfPhone
  Name of this phone
  Nom de ce téléphone
  Name dieses Telefons
nextRequest
  Next request
  Demande suivante
  Nächste Anfrage
no
  no
  non
  nein
noDecisions
  You have decided nothing yet.
  Vous n’avez encore rien décidé.
  Sie haben noch nichts entschieden.
none
  none
  aucun
  keine Angabe
noReceipt
  There is no receipt of this decision, or it is kept no longer.
  Il n’y a pas de reçu de cette décision, ou il n’est plus conservé.
  Zu dieser Entscheidung gibt es keinen Beleg, oder er wird nicht mehr aufbewahrt.
nothingWaits
  Nothing waits for you
  Aucune demande en attente
  Keine offenen Anfragen
notLoaded
  A request could not be loaded
  Une demande n’a pas pu être chargée
  Eine Anfrage konnte nicht geladen werden
notLoadedLead
  Trying again…
  Nouvel essai…
  Neuer Versuch …
noticeOver
  A request needs no answer any more.
  Une demande n’a plus besoin de réponse.
  Eine Anfrage braucht keine Antwort mehr.
noticeSomeRequest
  A request waits for your answer.
  Une demande attend votre réponse.
  Eine Anfrage wartet auf Ihre Antwort.
notifications
  Notifications
  Notifications
  Mitteilungen
notOffered
  This server does not show past decisions.
  Ce serveur ne montre pas les décisions passées.
  Dieser Server zeigt keine früheren Entscheidungen.
offline
  Offline
  Hors ligne
  Offline
offlineLead
  You are offline. Requests appear when the connection is back.
  Vous êtes hors ligne. Les demandes s’afficheront au retour de la connexion.
  Sie sind offline. Anfragen erscheinen, sobald die Verbindung zurück ist.
ok
  OK
  OK
  OK
oneTimeCode
  One-time code
  Code à usage unique
  Einmalcode
oneTimeCodeLead
  For a login page that asks for six digits. It works without a connection. Give it to nobody.
  Pour une page de connexion qui demande six chiffres. Il fonctionne sans connexion. Ne le donnez à personne.
  Für eine Anmeldeseite, die nach sechs Ziffern fragt. Er gilt auch ohne Verbindung. Geben Sie ihn niemandem.
outcomeAllowed
  Allowed
  Autorisée
  Erlaubt
outcomeAnswered
  Already answered
  Réponse déjà donnée
  Schon beantwortet
outcomeAnsweredLead
  The history shows which answer arrived.
  L’historique montre quelle réponse est arrivée.
  Der Verlauf zeigt, welche Antwort ankam.
outcomeElsewhere
  No answer needed any more
  Plus besoin de réponse
  Keine Antwort mehr nötig
outcomeElsewhereLead
  It was answered on another screen, or withdrawn.
  La demande a reçu une réponse ailleurs, ou a été retirée.
  Die Anfrage wurde anderswo beantwortet oder zurückgezogen.
outcomeExpired
  Expired
  Expirée
  Abgelaufen
outcomeExpiredLead
  Nothing was allowed.
  Rien n’a été autorisé.
  Es wurde nichts erlaubt.
outcomeRejected
  Rejected
  Refusée
  Abgelehnt
outcomeReportedLead
  The operator was told. This client has to wait before it can ask again.
  L’exploitant est prévenu. Cette application doit attendre avant de vous solliciter à nouveau.
  Der Betreiber weiß davon. Dieser Client muss warten, bis er wieder fragen kann.
outcomeWrongNumber
  Rejected: another number was shown
  Refusée : un autre nombre était affiché
  Abgelehnt: Angezeigt wurde eine andere Zahl
outcomeWrongNumberLead
  Somebody else may have asked in your name. If it was you, start again.
  Quelqu’un d’autre a peut-être demandé en votre nom. Si c’était vous, recommencez.
  Vielleicht hat jemand anderes in Ihrem Namen gefragt. Wenn Sie es waren, beginnen Sie von vorn.
ownClient
  An application of {tenant}
  Une application de {tenant}
  Eine Anwendung von {tenant}
passkey
  Passkey
  Clé d’accès
  Passkey
passkeyAccount
  Passkeys on your account page
  Les clés d’accès sur la page de votre compte
  Passkeys auf Ihrer Kontoseite
passkeyAdd
  Add a passkey
  Ajouter une clé d’accès
  Passkey hinzufügen
passkeyConfirm
  Confirm that it is you
  Confirmez que c’est vous
  Bestätigen Sie, dass Sie es sind
passkeyConfirmLead
  Use your passkey: fingerprint, face or the phone’s PIN.
  Utilisez votre clé d’accès : empreinte, visage ou code du téléphone.
  Nutzen Sie Ihren Passkey: Fingerabdruck, Gesicht oder PIN des Telefons.
passkeyElsewhereLead
  Add one on your account page, where you prove who you are, then come back.
  Ajoutez-en une sur la page de votre compte, où vous prouvez qui vous êtes, puis revenez.
  Fügen Sie einen auf Ihrer Kontoseite hinzu, wo Sie sich ausweisen, und kommen Sie dann zurück.
passkeyLost
  I don’t have this passkey any more
  Je n’ai plus cette clé d’accès
  Diesen Passkey habe ich nicht mehr
passkeyMake
  Make one now
  En créer une maintenant
  Jetzt erstellen
passkeyNeeded
  This needs a passkey
  Il faut une clé d’accès
  Dafür brauchen Sie einen Passkey
passkeyNeededLead
  With it, your fingerprint, your face or the phone’s PIN confirms that it is you.
  Avec elle, votre empreinte, votre visage ou le code du téléphone confirme que c’est vous.
  Damit bestätigen Fingerabdruck, Gesicht oder PIN des Telefons, dass Sie es sind.
passkeyNo
  none
  aucune
  keiner
passkeyUnsupported
  This browser has no passkeys
  Ce navigateur n’a pas de clés d’accès
  Dieser Browser hat keine Passkeys
passkeyUnsupportedLead
  This needs one. Answer on another phone of yours, or reject.
  Il en faut une. Répondez avec un autre de vos téléphones, ou refusez.
  Dafür ist einer nötig. Antworten Sie mit einem anderen Ihrer Telefone, oder lehnen Sie ab.
passkeyUse
  Confirm
  Confirmer
  Bestätigen
passkeyYes
  registered
  enregistrée
  registriert
pasteLink
  Link or code
  Lien ou code
  Link oder Code
payment
  {amount} to {payee}
  {amount} à {payee}
  {amount} an {payee}
phoneName
  {browser} on {system}
  {browser} sur {system}
  {browser} auf {system}
pickNumber
  Which number does the other screen show?
  Quel nombre affiche l’autre écran ?
  Welche Zahl zeigt der andere Bildschirm?
pickNumberOf
  Which number does {screen} show?
  Quel nombre {screen} affiche-t-il ?
  Welche Zahl zeigt {screen}?
pickThis
  Allow with the number {number}
  Autoriser avec le nombre {number}
  Mit der Zahl {number} erlauben
problemBlocked
  This account is blocked. Contact the operator of this service.
  Ce compte est bloqué. Adressez-vous à l’exploitant de ce service.
  Dieses Konto ist gesperrt. Wenden Sie sich an den Betreiber dieses Dienstes.
problemLost
  Your answer did not arrive. Please answer again.
  Votre réponse n’est pas arrivée. Répondez encore une fois.
  Ihre Antwort ist nicht angekommen. Bitte antworten Sie noch einmal.
problemPasskey
  Not confirmed, so nothing was allowed.
  Pas de confirmation : rien n’a été autorisé.
  Nicht bestätigt, also wurde nichts erlaubt.
problemRefused
  The server did not take the answer. Try again, or reject.
  Le serveur n’a pas accepté la réponse. Réessayez, ou refusez.
  Der Server hat die Antwort nicht angenommen. Versuchen Sie es erneut, oder lehnen Sie ab.
push_denied
  This browser blocks notifications of this site. Its settings can allow them.
  Ce navigateur bloque les notifications de ce site. Autorisez-les dans ses réglages.
  Dieser Browser sperrt Mitteilungen dieser Seite. Seine Einstellungen können sie erlauben.
push_install
  They need the installed app.
  Elles nécessitent l’application installée.
  Mitteilungen erfordern die installierte App.
push_none
  This browser takes no notifications. Requests appear only while this page is open.
  Ce navigateur ne reçoit pas de notifications. Les demandes n’apparaissent que lorsque cette page est ouverte.
  Dieser Browser empfängt keine Mitteilungen. Anfragen erscheinen nur, solange diese Seite offen ist.
push_off
  Requests then reach you when this page is closed.
  Les demandes vous parviennent alors même si cette page est fermée.
  Dann erreichen Anfragen Sie auch, wenn diese Seite geschlossen ist.
push_server
  This service sends no notifications. Requests appear only while this page is open.
  Ce service n’envoie pas de notifications. Les demandes n’apparaissent que lorsque cette page est ouverte.
  Dieser Dienst schickt keine Mitteilungen. Anfragen erscheinen nur, solange diese Seite offen ist.
quietHours
  Quiet hours
  Heures calmes
  Ruhezeit
quietHoursLead
  Only urgent requests make a sound. For all your phones.
  Seules les demandes urgentes sonnent. Pour tous vos téléphones.
  Nur dringende Anfragen sind zu hören. Für alle Ihre Telefone.
ready
  This phone is ready. You can go back to the page you came from.
  Ce téléphone est prêt. Vous pouvez revenir à la page précédente.
  Dieses Telefon ist bereit. Sie können zur vorigen Seite zurückkehren.
reason
  Reason
  Motif
  Grund
reasonGiven
  Reason: {reason}
  Motif : {reason}
  Grund: {reason}
reasonHint
  The application that asked reads it.
  L’application à l’origine de la demande le lira.
  Die Anwendung, die gefragt hat, liest ihn.
receipt
  Receipt
  Reçu
  Beleg
receiptSave
  Save receipt
  Enregistrer le reçu
  Beleg speichern
receiptShow
  Show receipt
  Afficher le reçu
  Beleg zeigen
refusedLead
  The server refused it.
  Le serveur l’a refusé.
  Der Server hat es abgelehnt.
reject
  Reject
  Refuser
  Ablehnen
rejectAll
  Reject all {count}
  Refuser les {count}
  Alle {count} ablehnen
rejectAllTitle
  Reject {count} requests?
  Refuser {count} demandes ?
  {count} Anfragen ablehnen?
removeAccount
  Remove from this phone
  Retirer de ce téléphone
  Von diesem Telefon entfernen
removeLead
  This phone will no longer answer for {account}. To add it again you need a new link.
  Ce téléphone ne répondra plus pour {account}. Pour l’ajouter de nouveau, il faudra un nouveau lien.
  Dieses Telefon antwortet dann nicht mehr für {account}. Um es wieder hinzuzufügen, brauchen Sie einen neuen Link.
removeNow
  Remove
  Retirer
  Entfernen
rename
  Rename
  Renommer
  Umbenennen
renameThis
  Rename {name}
  Renommer {name}
  {name} umbenennen
report
  I did not ask for this
  Je n’ai rien demandé
  Das war ich nicht
reportHint
  Rejects the request, tells the operator, and makes this client wait before it can ask again.
  Refuse la demande, prévient l’exploitant, et fait attendre cette application avant de vous solliciter à nouveau.
  Lehnt ab, benachrichtigt den Betreiber, und dieser Client muss warten, bis er wieder fragen kann.
reportNow
  Reject and report
  Refuser et signaler
  Ablehnen und melden
requests
  Requests
  Demandes
  Anfragen
save
  Save
  Enregistrer
  Speichern
saved
  Saved
  Enregistré
  Gespeichert
scope_address
  See your postal address
  Voir votre adresse postale
  Ihre Postanschrift sehen
scope_email
  See your e-mail address
  Voir votre adresse e-mail
  Ihre E-Mail-Adresse sehen
scope_offline_access
  Go on while you are not there
  Continuer sans vous
  Auch ohne Sie weitermachen
scope_openid
  Know that it is you
  Savoir que c’est vous
  Wissen, dass Sie es sind
scope_phone
  See your phone number
  Voir votre numéro de téléphone
  Ihre Telefonnummer sehen
scope_profile
  See your name and profile
  Voir votre nom et votre profil
  Ihren Namen und Ihr Profil sehen
scopes
  It will be able to
  Cette application pourra
  Diese Anwendung darf dann
sending
  Sending your answer…
  Envoi de votre réponse…
  Ihre Antwort wird gesendet …
settings
  Settings
  Réglages
  Einstellungen
showMore
  Show more
  Afficher plus
  Mehr zeigen
since
  since {date}
  depuis {date}
  seit {date}
skip
  Skip to content
  Aller au contenu
  Zum Inhalt springen
thisPhone
  This phone
  Ce téléphone
  Dieses Telefon
timeLeft
  {time} left
  encore {time}
  noch {time}
to
  To
  À
  Bis
tryAgain
  Try again
  Réessayer
  Erneut versuchen
turnOff
  Turn off
  Désactiver
  Ausschalten
turnOn
  Turn on notifications
  Activer les notifications
  Mitteilungen einschalten
typeNumber
  Type the number that the other screen shows
  Saisissez le nombre qu’affiche l’autre écran
  Geben Sie die Zahl ein, die der andere Bildschirm zeigt
typeNumberOf
  Type the number that {screen} shows
  Saisissez le nombre qu’affiche {screen}
  Geben Sie die Zahl ein, die {screen} zeigt
typeTwoDigits
  Type the two digits that the other screen shows.
  Saisissez les deux chiffres qu’affiche l’autre écran.
  Geben Sie die zwei Ziffern ein, die der andere Bildschirm zeigt.
untyped
  detail without type
  détail sans type
  Angabe ohne Typ
urgent
  urgent
  urgente
  dringend
useLink
  Continue
  Continuer
  Weiter
wayAccount
  account page
  page de votre compte
  Kontoseite
wayAnother
  Add another phone
  Ajouter un autre téléphone
  Weiteres Telefon hinzufügen
wayAnotherLead
  Scan this code with the other phone’s camera. It adds one phone, once, and you get a mail about it.
  Scannez ce code avec l’appareil photo de l’autre téléphone. Il ajoute un téléphone, une fois, et vous recevez un message à ce sujet.
  Scannen Sie diesen Code mit der Kamera des anderen Telefons. Er fügt ein Telefon hinzu, einmal, und Sie bekommen eine Mail darüber.
wayBack
  Ways back
  Pour revenir
  Wege zurück
wayBackAccount
  Log in to your {page} and add this phone there. If you have no second factor left, use a recovery code.
  Connectez-vous à la {page} et ajoutez-y ce téléphone. S’il ne vous reste aucun second facteur, utilisez un code de secours.
  Melden Sie sich auf Ihrer {page} an und fügen Sie dieses Telefon dort hinzu. Ohne zweiten Faktor hilft ein Wiederherstellungscode.
wayBackAsk
  Or ask for a new link, and enter it or its code here.
  Ou demandez un nouveau lien, et saisissez-le ici, ou son code.
  Oder bitten Sie um einen neuen Link und geben Sie ihn oder seinen Code hier ein.
wayBackPhone
  On another phone of yours: Settings, “Add another phone”. Scan the code, or enter it here.
  Sur un autre de vos téléphones : Réglages, « Ajouter un autre téléphone ». Scannez le code, ou saisissez-le ici.
  Auf einem anderen Ihrer Telefone: Einstellungen, „Weiteres Telefon hinzufügen“. Scannen Sie den Code, oder geben Sie ihn hier ein.
wayCode
  Code
  Code
  Code
wayCodeOver
  This code is wrong, was used or has expired. Check it, or get a new one.
  Ce code est faux, a déjà servi ou a expiré. Vérifiez-le, ou demandez-en un nouveau.
  Dieser Code ist falsch, schon verwendet oder abgelaufen. Prüfen Sie ihn, oder holen Sie einen neuen.
wayForget
  Forget the account on this phone
  Oublier le compte sur ce téléphone
  Konto auf diesem Telefon vergessen
wayHome
  Tap “Add to Home Screen”.
  Touchez « Sur l’écran d’accueil ».
  Tippen Sie auf „Zum Home-Bildschirm“.
wayInstall
  Install this app first
  Installez d’abord cette application
  Zuerst diese App installieren
wayInstallLead
  An iPhone gives notifications to installed apps alone. Your link for {tenant} stays unused until then.
  Un iPhone n’envoie de notifications qu’aux applications installées. D’ici là, votre lien pour {tenant} ne sera pas utilisé.
  Ein iPhone gibt Mitteilungen nur an installierte Apps. Ihr Link für {tenant} bleibt bis dahin unbenutzt.
wayKeyGone
  key lost
  clé perdue
  Schlüssel verloren
wayLost
  This phone has lost its key
  Ce téléphone a perdu sa clé
  Dieses Telefon hat seinen Schlüssel verloren
wayLostLead
  The browser has deleted what this phone signed with, so it cannot approve anything for {tenant}. Nothing was approved without you. Add this phone again.
  Le navigateur a supprimé ce avec quoi ce téléphone signait : il ne peut plus rien autoriser pour {tenant}. Rien n’a été autorisé sans vous. Ajoutez de nouveau ce téléphone.
  Der Browser hat gelöscht, womit dieses Telefon unterschrieb. Es kann für {tenant} nichts mehr freigeben. Ohne Sie wurde nichts freigegeben. Fügen Sie dieses Telefon neu hinzu.
wayNeedsBrowser
  This browser cannot keep a key. Use a current version of Chrome, Edge, Firefox or Safari, and not a private window.
  Ce navigateur ne peut pas conserver de clé. Utilisez une version récente de Chrome, Edge, Firefox ou Safari, et pas une fenêtre privée.
  Dieser Browser kann keinen Schlüssel aufbewahren. Nehmen Sie eine aktuelle Version von Chrome, Edge, Firefox oder Safari, und kein privates Fenster.
wayNeedsSecure
  The address must start with https. Open the link that you were given, without changing it.
  L’adresse doit commencer par https. Ouvrez le lien que vous avez reçu, sans le modifier.
  Die Adresse muss mit https beginnen. Öffnen Sie den Link so, wie Sie ihn erhalten haben.
wayOpen
  Open the new icon.
  Ouvrez la nouvelle icône.
  Öffnen Sie das neue Symbol.
wayPicture
  QR code that adds another phone
  Code QR qui ajoute un autre téléphone
  QR-Code, der ein weiteres Telefon hinzufügt
waySafari
  Use this browser anyway
  Utiliser ce navigateur quand même
  Trotzdem diesen Browser verwenden
waySafariLead
  Notifications will not work here. You will see requests only while this page is open.
  Les notifications ne marcheront pas ici. Vous ne verrez les demandes que lorsque cette page est ouverte.
  Mitteilungen gibt es hier nicht. Sie sehen Anfragen nur, solange diese Seite offen ist.
waySafariYes
  Go on without notifications
  Continuer sans notifications
  Ohne Mitteilungen weiter
wayScan
  Scan a QR code
  Scanner un code QR
  QR-Code scannen
wayScanLead
  Hold the code in front of the camera.
  Placez le code devant l’appareil photo.
  Halten Sie den Code vor die Kamera.
wayShare
  Tap Share.
  Touchez Partager.
  Tippen Sie auf Teilen.
wayTooMany
  There were too many wrong codes. Use the link, or wait an hour.
  Il y a eu trop de codes faux. Utilisez le lien, ou attendez une heure.
  Es gab zu viele falsche Codes. Nehmen Sie den Link, oder warten Sie eine Stunde.
wayTypeCode
  If the app asks for a code, enter this one:
  Si l’application demande un code, saisissez celui-ci :
  Wenn die App nach einem Code fragt, geben Sie diesen ein:
wayValid
  Valid once, until {time}
  Valable une fois, jusqu’au {time}
  Einmal gültig, bis {time}
welcome
  Approve with this phone
  Autoriser avec ce téléphone
  Mit diesem Telefon freigeben
welcomeLead
  {tenant} will ask you here before something is done in your name. This phone signs your answers.
  {tenant} vous demandera votre accord ici avant d’agir en votre nom. Ce téléphone signe vos réponses.
  {tenant} fragt Sie hier, bevor etwas in Ihrem Namen geschieht. Dieses Telefon unterschreibt Ihre Antworten.
withReason
  Reject with a reason
  Refuser avec un motif
  Mit Grund ablehnen
yes
  yes
  oui
  ja
yourPhones
  Your phones
  Vos téléphones
  Ihre Telefone
`;
