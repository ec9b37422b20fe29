/// Collects a report. Equal lines about several objects become one.
final class MoveLedger {
    /// Kinds with so many objects that they share one line.
    private static let crowds: Set<String> = ["user"]

    private struct Line: Hashable {
        let kind: String
        let texts: [String]
    }

    private var report = MoveReport()
    private var cames: [Line: Int] = [:]
    private var differences: [Line: Int] = [:]
    private var absences: [Line: Int] = [:]

    /// The report so far.
    var lines: MoveReport {
        var lines = report
        lines.came.removeAll { $0.subjects.count == 0 }
        lines.differs.removeAll { $0.subjects.count == 0 }
        lines.absent.removeAll { $0.subjects.count == 0 }
        return lines
    }

    func came(_ subject: MoveReport.Subject, as here: String, _ members: [String]) {
        let isCrowd = Self.crowds.contains(subject.kind)
        let key = Line(kind: subject.kind, texts: isCrowd ? [here] : [here, subject.name])
        let index = cames[key] ?? report.came.endIndex
        if index == report.came.endIndex {
            cames[key] = index
            report.came.append(
                MoveReport.Came(subjects: MoveReport.Subjects(kind: subject.kind), here: here, members: []))
        }
        report.came[index].subjects.add(subject.name)
        for member in members where !report.came[index].members.contains(member) {
            report.came[index].members.append(member)
        }
    }

    /// Takes back all lines about the object.
    func withdraw(_ subject: MoveReport.Subject) {
        for index in report.came.indices where report.came[index].subjects.kind == subject.kind {
            report.came[index].subjects.drop(subject.name)
        }
        for index in report.differs.indices where report.differs[index].subjects.kind == subject.kind {
            report.differs[index].subjects.drop(subject.name)
        }
        for index in report.absent.indices where report.absent[index].subjects.kind == subject.kind {
            report.absent[index].subjects.drop(subject.name)
        }
    }

    func differs(
        _ subject: MoveReport.Subject, _ member: String, was: String, here: String, _ follows: String
    ) {
        let key = Line(kind: subject.kind, texts: [member, was, here, follows])
        let index = differences[key] ?? report.differs.endIndex
        if index == report.differs.endIndex {
            differences[key] = index
            report.differs.append(
                MoveReport.Difference(
                    subjects: MoveReport.Subjects(kind: subject.kind), member: member, was: was, here: here,
                    follows: follows))
        }
        report.differs[index].subjects.add(subject.name)
    }

    func absent(_ subject: MoveReport.Subject, _ member: String, _ instead: String, isIdle: Bool) {
        let key = Line(kind: subject.kind, texts: [member, instead, "\(isIdle)"])
        let index = absences[key] ?? report.absent.endIndex
        if index == report.absent.endIndex {
            absences[key] = index
            report.absent.append(
                MoveReport.Absence(
                    subjects: MoveReport.Subjects(kind: subject.kind), member: member, instead: instead,
                    isIdle: isIdle))
        }
        report.absent[index].subjects.add(subject.name)
    }
}
