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
allLead
  Have you read every request of {client}? Each answer is signed separately.
  Avez-vous lu chaque demande de {client} ? Chaque réponse est signée à part.
  Haben Sie jede Anfrage von {client} gelesen? Jede Antwort wird einzeln unterschrieben.
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
allowed
  allowed
  autorisée
  erlaubt
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
installApple1
  Tap Share, then “Add to Home Screen”.
  Touchez Partager, puis « Sur l’écran d’accueil ».
  Tippen Sie auf Teilen, dann „Zum Home-Bildschirm“.
installApple2
  Open the new icon.
  Ouvrez la nouvelle icône.
  Öffnen Sie das neue Symbol.
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
outcomeReported
  Rejected and reported
  Refusée et signalée
  Abgelehnt und gemeldet
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
passkeyNeeded
  A passkey is needed
  Il faut une clé d’accès
  Dafür brauchen Sie einen Passkey
passkeyNeededLead
  Add one for this phone, then confirm.
  Ajoutez-en une pour ce téléphone, puis confirmez.
  Fügen Sie einen für dieses Telefon hinzu, und bestätigen Sie dann.
passkeyNo
  none
  aucune
  keiner
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
phoneName
  {browser} on {system}
  {browser} sur {system}
  {browser} auf {system}
pickNumber
  Which number does the other screen show?
  Quel nombre affiche l’autre écran ?
  Welche Zahl zeigt der andere Bildschirm?
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
push_off
  Requests then reach you when this page is closed.
  Les demandes vous parviennent alors même si cette page est fermée.
  Dann erreichen Anfragen Sie auch, wenn diese Seite geschlossen ist.
quietHours
  Quiet hours
  Heures calmes
  Ruhezeit
quietHoursLead
  Only urgent requests make a sound. For all your phones.
  Seules les demandes urgentes sonnent. Pour tous vos téléphones.
  Nur dringende Anfragen sind zu hören. Für alle Ihre Telefone.
readOn
  Read on to the end, then you can allow.
  Lisez jusqu’à la fin pour pouvoir autoriser.
  Lesen Sie bis zum Ende, dann können Sie erlauben.
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
rejected
  rejected
  refusée
  abgelehnt
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
