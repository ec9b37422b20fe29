extension Texts {
    /// The pages of administrators.
    package struct Dashboard: Sendable {
        package let frame: Frame
        package let operation: Operation
        package let sections: Sections
        package let users: Users
        package let requests: Requests
        package let clients: Clients

        package struct Frame: Sendable {
            package let title, sections, trail, logOut, search, copy, name, id, value, member, before, after,
                absent, values, change, delete, goOn, backToForm, done, lasting, nothingChanges, changedMeanwhile,
                tooOld, sentBefore, showObject, typeAgain, proveAgain, prove, proven, unreadable, missing, fromTerminal,
                asCurl,
                asApply, allMembers, next,
                first, you, noScopes, didNotWork, forbidden, gone, refused, welcome: String
        }

        package struct Operation: Sendable {
            package let state, since, until, rotate, rotateLead, revoke, revokeLead, revoked, signs, signsNext,
                verifies, time, event, person, client, noEntries, logHint, activeUsers, logins, signUps, started,
                allowed, rejected, isSet, isUnset, pushLead, provider, service, secretsStay, chooseProvider,
                mailLead, noMail, setMail, ofServer, ofTenant, templatesLead, template, subject, openPreview,
                asText, noTemplate, ownTemplate, verify, configurationLead, healthLead, check, finding, advice,
                inOrder, warning, fault, noFindings, ringPhones, ringLead, noPhones, sendMail, sendMailLead,
                domainLead, addresses: String
        }

        package struct Sections: Sendable {
            package let userManagement, approvals, applications, delivery, look, operation, users, requests,
                clients, apis, grants, connections, roles, keys, push, mail, templates, branding, domains,
                settings, log, deliveries, statistics, configuration, health, noRoles, newRole, newClient, noAPIs,
                newAPI,
                noGrants, newGrant, noConnections, newConnection, noDomains, newDomain: String
        }
    }
}
